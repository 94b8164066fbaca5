chainc sync -C notes
chainc sync -C notes --trust --check
chainc sync -C notes --trust notes
chainc sync -C notes --trust note
chainc sync -C mistakes
