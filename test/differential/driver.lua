-- Runs the programs of a file, which stand between lines with a mark, and prints the
-- lines of each behind one.
local mark = "--=="
local program = {}
local function finish()
  if #program == 0 then
    return
  end
  print(mark)
  local chunk, problem = loadstring(table.concat(program, "\n"), "=program.lua")
  if not chunk then
    print("syntax: " .. problem)
  else
    chunk()
    ReflectStatus()
  end
  program = {}
end
for line in io.lines(arg[1]) do
  if line == mark then
    finish()
  else
    program[#program + 1] = line
  end
end
finish()
