chainc tools -C notes
chainc tools -C notes broken
chainc tools -C notes --search "NOTES find"
chainc tools -C notes --search "write note"
chainc tools -C notes --search unheard
chainc tools -C notes note
chainc tools -C mistakes
chainc tools -C notes std/uuid
chainc tools std/pages
chainc tools std --search markdown
chainc tools --search "json changes"
chainc tools --search unheard
chainc tools std/uid
chainc tools std/nothing
chainc tools -C notes uuid
chainc tools
