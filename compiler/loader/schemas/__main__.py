from compiler.loader.schemas import write

write()
