-- ambiguous-empty-table and undeclared-write-path.
function AggregateStatus(object, items)
  object.status = { phase = "Up", conditions = {} }
  --                              ^ ambiguous-empty-table
  object.status.hosts = {}
  --            ^ ambiguous-empty-table
  object.spec.replicas = #items
  --          ^ undeclared-write-path
  if #items == 0 then
    object.status = {}
  elseif #items == 1 then
    object.status.conditions = kube.list()
    object.status.address = {}
  end
  return object
end
