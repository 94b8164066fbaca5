chainc run -C planned gather --dry-run --arg 'words=["milk", "bread", "salt"]'
chainc run -C planned gather --dry-run --arg 'words=["milk"]' --arg most=50 --arg note=hello
chainc run -C planned gather --dry-run --arg 'words=["milk", "bread", "salt"]' --arg most=2
chainc run -C planned look --dry-run --arg word=milk
chainc run -C planned say --dry-run --arg word=milk
chainc run -C planned say --dry-run
chainc run -C planned say --dry-run --arg wrod=milk
chainc run -C planned look --dry-run --format json --arg word=milk
chainc run -C planned say --dry-run --format jsn --arg word=milk
