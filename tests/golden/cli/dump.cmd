chainc dump tokens warned/chains/warned.chain
chainc dump tree warned/chains/warned.chain
chainc dump types notes
chainc dump graph notes
chainc dump tokens warned
chainc dump plan mistakes
