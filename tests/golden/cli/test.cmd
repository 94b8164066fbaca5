chainc test -C tested
chainc test -C tested chains/good.chain
chainc test -C notes
chainc test -C mistakes
chainc test -C tested nowhere.chain
