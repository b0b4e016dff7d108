-- The three kinds have one IstioStatus. Istio writes none unless it is installed with
-- PILOT_ENABLE_STATUS or enableAnalysis.

local status = {}

-- Reports whether the analysis of Istio found an error. Its warnings are none.
local function hasError(obj)
  for _, message in ipairs(kube.get(obj, "status.validationMessages", {})) do
    if message.level == "Error" or message.level == "ERROR" then
      return true
    end
  end
  return false
end

-- Without a status the object is healthy once it is there, for nobody would write one.
-- observedGeneration is text, as 64 bits are in the JSON of protobuf.
function status.health(obj)
  if kube.get(obj, "status.conditions") == nil and kube.get(obj, "status.validationMessages") == nil then
    return true
  end
  local generation = kube.get(obj, "metadata.generation", 0)
  local observed = tonumber(kube.get(obj, "status.observedGeneration", generation))
  local reconciled = kube.condition(obj, "Reconciled")
  if observed < generation or (reconciled and reconciled.status ~= "True") then
    return nil
  end
  return not hasError(obj)
end

function status.reflect(obj)
  return kube.reflectStatus(obj) or {}
end

-- One condition of each type; the messages of the first cluster that has some.
function status.aggregate(obj, items)
  local reports = kube.reported(items)
  if #reports == 0 then
    return obj
  end
  local messages
  for _, item in ipairs(reports) do
    messages = messages or kube.orNil(item.status.validationMessages)
  end
  obj.status = { conditions = kube.orNil(kube.worstConditions(items)), validationMessages = messages }
  return obj
end

return status
