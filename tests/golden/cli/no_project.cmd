chainc check
chainc check --format json
chainc build
chainc sync
chainc run anything
chainc dump plan .
