-- Where the streams of an application keep their progress.

local specOf = require("lib.specOf")

local checkpoint = {}

local key = "sparkoperator.k8s.io/checkpoint-location"
local mark = "sparkoperator.k8s.io/restored-from"
local setting = "spark.sql.streaming.checkpointLocation"

-- The place in the arguments that holds the location, with what stands there before
-- it, and the location: "--name value" or "--name=value".
local function argument(spec)
  local name = params.checkpointArgument
  for i, text in ipairs(spec.arguments or {}) do
    if text == name and spec.arguments[i + 1] then
      return i + 1, "", spec.arguments[i + 1]
    elseif string.find(text, name .. "=", 1, true) == 1 then
      return i, name .. "=", string.sub(text, #name + 2)
    end
  end
end

-- The state of an application; nil where it names no location.
function checkpoint.state(obj)
  local spec = specOf(obj)
  if not spec then
    return nil
  end
  local _, _, location = argument(spec)
  location = location or kube.get(spec, { "sparkConf", setting })
  return location and { [key] = location }
end

-- Sets the location, and marks the object with it; without a spec nothing changes.
local function apply(obj, location)
  local spec = specOf(obj)
  if not spec then
    return obj
  end
  local i, before = argument(spec)
  if i then
    spec.arguments[i] = before .. location
  else
    spec.sparkConf = spec.sparkConf or {}
    spec.sparkConf[setting] = location
  end
  obj.metadata.annotations = obj.metadata.annotations or {}
  obj.metadata.annotations[mark] = location
  return obj
end

function checkpoint.restore(desired, state)
  local location = state[key]
  return location and apply(desired, location) or desired
end

-- A location that a failover set is kept: with another one the operator would restart the
-- application without its progress.
function checkpoint.retain(desired, observed)
  local restored = kube.get(observed, { "metadata", "annotations", mark })
  local wanted = kube.get(desired, { "metadata", "annotations", mark }, restored)
  return restored and wanted == restored and apply(desired, restored) or desired
end

return checkpoint
