"""What a built bundle runs on: values, functions, the plan format, the runtime. Never imports the compiler."""
