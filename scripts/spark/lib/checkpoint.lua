-- Where the streams of an application keep their progress. spec is that of a
-- SparkApplication.

local checkpoint = { key = "sparkoperator.k8s.io/checkpoint-location" }

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
function checkpoint.state(spec)
  if not spec then
    return nil
  end
  local _, _, location = argument(spec)
  location = location or kube.get(spec, { "sparkConf", setting })
  return location and { [checkpoint.key] = location }
end

-- Makes the location that of spec, and marks the object with it.
local function apply(obj, spec, location)
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

function checkpoint.restore(desired, spec, state)
  local location = state[checkpoint.key]
  return location and spec and apply(desired, spec, location) or desired
end

-- A location that a failover gave stays: with another one the operator would start the
-- application again, without its progress.
function checkpoint.retain(desired, spec, observed)
  local given = kube.get(observed, { "metadata", "annotations", mark })
  local told = kube.get(desired, { "metadata", "annotations", mark }, given)
  return given and spec and told == given and apply(desired, spec, given) or desired
end

return checkpoint
