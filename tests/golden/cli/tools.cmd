chainc tools -C notes
chainc tools -C notes broken
chainc tools -C notes --search "NOTES find"
chainc tools -C notes --search nothing
chainc tools -C notes note
chainc tools -C mistakes
