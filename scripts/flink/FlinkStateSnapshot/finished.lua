local final = { ABANDONED = true, COMPLETED = true, FAILED = true }

-- Reports whether the operator does nothing more with it but delete it: it keeps as many as
-- kubernetes.operator.savepoint.history.max.count.
function IsFinished(obj)
  return final[kube.get(obj, "status.state", "")] == true
end
