-- What Spark asks for the memory of a pod, in MiB.
-- Written for Spark 3.3 to 4.0 on Kubernetes.

local mebibyte = 1048576
local least = 384

-- A size in Spark's notation, where a number alone counts MiB; nil for nil.
local function mib(size)
  if size == nil then
    return nil
  end
  local text = tostring(size)
  if string.find(text, "^%d+$") then
    text = text .. "m"
  end
  return math.floor(kube.getResourceQuantity(kube.flinkMemory(text)) / mebibyte)
end

-- The memory beside the heap as a share of the heap.
local function factor(spec, conf, role)
  local set = spec.memoryOverheadFactor or conf["spark." .. role .. ".memoryOverheadFactor"]
    or conf["spark.kubernetes.memoryOverheadFactor"]
  if set then
    return tonumber(set)
  end
  return (spec.type == "Python" or spec.type == "R") and 0.4 or 0.1
end

-- Memory of executors that has its own settings.
local function beside(spec, conf)
  local python = spec.type == "Python" and mib(conf["spark.executor.pyspark.memory"]) or 0
  local offHeap = conf["spark.memory.offHeap.enabled"] == "true" and conf["spark.memory.offHeap.size"]
  -- The size off the heap is in bytes where no unit stands.
  return python + (offHeap and math.floor(kube.getResourceQuantity(kube.flinkMemory(offHeap)) / mebibyte) or 0)
end

-- As a quantity, for the role driver or executor.
return function(spec, conf, role)
  local own = spec[role] or {}
  local heap = mib(own.memory or conf["spark." .. role .. ".memory"] or "1g")
  if params.memoryOverhead == "ignored" then
    return heap .. "Mi"
  end
  local overhead = mib(own.memoryOverhead or conf["spark." .. role .. ".memoryOverhead"])
    or math.max(math.floor(heap * factor(spec, conf, role)), least)
  return heap + overhead + (role == "executor" and beside(spec, conf) or 0) .. "Mi"
end
