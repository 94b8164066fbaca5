chainc -C notes check
chainc check notes
chainc check notes/chains/notes.chain
chainc check mistakes
chainc check -C mistakes chains/first.chain chains/second.chain
chainc check mistakes --format json
chainc check mistakes --format github
chainc check warned
chainc check warned --strict
chainc check warned --strict --format github
chainc check notes --format json
