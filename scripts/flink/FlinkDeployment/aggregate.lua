-- A Flink job runs in one cluster: the last cluster that reports a status tells it.
function AggregateStatus(obj, items)
  for _, item in ipairs(items) do
    if item.status then
      obj.status = item.status
    end
  end
  return obj
end
