-- unbounded-loop.
local function count(list)
  local i, done = 1, false
  while not done do
  -- line unbounded-loop
    i = i + 1
  end
  repeat
  -- line unbounded-loop
    i = i + 1
    for _, item in ipairs(list) do
      if item == i then
        break
      end
    end
  until false
end

-- Near misses: a break, a return, a variable that changes here or in a function, a call.
local function bounded(list)
  local i = 1
  while true do
    if list[i] == nil then
      break
    end
    i = i + 1
  end
  while i > 0 do
    i = i - 1
  end
  local left = true
  local function stop()
    left = false
  end
  while left do
    stop()
  end
  while next(list) do
    table.remove(list)
  end
  repeat
    local last = i > 3
    i = i + 1
  until last
  return i
end

function GetComponents(object)
  if object.spec.paused then
    return { kube.component("a", count({}) or 1) }
  end
  return { kube.component("b", bounded({})) }
end
