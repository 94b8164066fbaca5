chainc run -C notes find_notes --arg query=milk
chainc run -C notes find_notes --trust --arg query=milk --arg limit=7 --arg 'tags=["a", "b"]'
chainc run -C notes keep_tags --trust --arg 'tags=["a", "b"]'
chainc run -C notes show_age --arg age=90m
chainc run -C notes write_note --trust --arg text=milk
chainc run -C notes find_notes --trust --arg query=milk --arg limit=0
chainc run -C notes find_notes --trust --arg limit=many
chainc run -C notes find_notes --trust --arg qurey=milk
chainc run -C notes find_nots
chainc run -C notes inner_note
chainc run -C notes inner_not
chainc run -C notes find_notes --arg query=milk
chainc run -C notes find_notes --json nowhere.json
chainc run -C mistakes first
