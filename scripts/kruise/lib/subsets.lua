-- The subsets of a UnitedDeployment. Each may say how many of the replicas are its own, as
-- a number or a share; the controller spreads the rest over those that say nothing.

local amount = require("lib.amount")

local subsets = {}

local function list(obj)
  return kube.get(obj, "spec.topology.subsets", {})
end

-- What subsets say with so many replicas in all: the sum of their numbers, that of their
-- shares, and whether all have a number.
local function told(obj, replicas)
  local numbers, shares, all = 0, 0, #list(obj) > 0
  for _, subset in ipairs(list(obj)) do
    if type(subset.replicas) == "number" then
      numbers = numbers + subset.replicas
    else
      shares = shares + math.floor(amount(subset.replicas, replicas) + 0.5)
      all = false
    end
  end
  return numbers, shares, all
end

-- How many replicas there are. Where nothing says so all subsets must, and else it is 1.
function subsets.replicas(obj)
  local numbers, _, all = told(obj, 0)
  return kube.get(obj, "spec.replicas") or (all and numbers) or 1
end

-- Shares replicas out in place of total, in the proportion of the numbers.
local function share(obj, replicas, total)
  local before = 0
  for _, subset in ipairs(list(obj)) do
    if type(subset.replicas) == "number" then
      local upTo = before + subset.replicas
      subset.replicas = math.floor(upTo * replicas / total) - math.floor(before * replicas / total)
      before = upTo
    end
  end
end

-- Makes the subsets fit so many replicas. The controller (Kruise 1.8, specificAllocator)
-- refuses subsets that ask for more, or, where all have a number, for less; these numbers
-- are shared out anew.
function subsets.fit(obj, replicas)
  local numbers, shares, all = told(obj, replicas)
  if numbers == 0 then
    return
  end
  if all and numbers ~= replicas then
    share(obj, replicas, numbers)
  elseif numbers + shares > replicas then
    share(obj, replicas, math.max(numbers, subsets.replicas(obj)))
  end
end

return subsets
