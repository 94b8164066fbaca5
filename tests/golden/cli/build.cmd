chainc build -C mistakes
chainc build -C warned --output chains
