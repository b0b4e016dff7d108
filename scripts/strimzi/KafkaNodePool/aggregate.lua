-- Nodes are added. Their ids, and the id of their Kafka, are those of the first cluster.
function AggregateStatus(obj, items)
  local reports = kube.reported(items)
  if #reports == 0 then
    return obj
  end
  local status = kube.pick(reports[1].status, { "clusterId", "labelSelector", "nodeIds", "roles" })
  status.replicas = kube.sumStatus(items, { "replicas" }).replicas
  status.conditions = kube.orNil(kube.worstConditions(items, { "NotReady", "Warning" }))
  status.observedGeneration = kube.observedGeneration(obj, items)
  obj.status = status
  return obj
end
