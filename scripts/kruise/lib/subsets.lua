-- The subsets of a UnitedDeployment. Each may name its part of the replicas, as a number
-- or a share; the controller divides the rest over those that name none.

local amount = require("lib.amount")

local subsets = {}

local function list(obj)
  return kube.get(obj, "spec.topology.subsets", {})
end

-- What subsets ask for with so many replicas in all: the sum of their numbers, that of their
-- shares, and whether all have a number.
local function requested(obj, replicas)
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

-- How many replicas there are: spec.replicas, else the sum where all subsets have a number,
-- else 1.
function subsets.replicas(obj)
  local numbers, _, all = requested(obj, 0)
  return kube.get(obj, "spec.replicas") or (all and numbers) or 1
end

-- Divides replicas in place of total, in the proportion of the numbers.
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

-- Adjusts the subsets to so many replicas. The controller (Kruise 1.8, specificAllocator)
-- refuses subsets that ask for more, or, where all have a number, for less; these numbers
-- are divided again.
function subsets.fit(obj, replicas)
  local numbers, shares, all = requested(obj, replicas)
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
