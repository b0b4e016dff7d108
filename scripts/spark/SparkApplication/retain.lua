local checkpoint = require("lib.checkpoint")

-- What Kueue writes into the fields of driver and executor where it admits an application, with
-- the pod template of each (kubernetes-sigs/kueue, pkg/controller/jobs/sparkapplication,
-- RunWithPodSetsInfo).
local function admitted(own, there)
  own.nodeSelector, own.tolerations = there.nodeSelector, there.tolerations
  for _, field in ipairs({ "labels", "annotations" }) do
    own[field] = kube.orNil(kube.merge(there[field], own[field]))
  end
  own.template = kube.retainAdmission(own.template, there.template)
  return own
end

-- An application in a queue of Kueue is started and stopped there.
local function keepQueue(desired, observed)
  local own, there = desired.spec or {}, observed.spec or {}
  if there.suspend == nil or not kube.inQueue(desired, observed) then
    return
  end
  desired.spec, own.suspend = own, there.suspend
  if there.suspend then
    return
  end
  own.nodeSelector = there.nodeSelector
  for _, role in ipairs({ "driver", "executor" }) do
    own[role] = own[role] and there[role] and admitted(own[role], there[role]) or own[role]
  end
end

function Retain(desired, observed)
  keepQueue(desired, observed)
  return checkpoint.retain(desired, observed)
end
