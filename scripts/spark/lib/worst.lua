-- The item of the cluster whose state counts first, nil where no cluster reports one; of
-- clusters alike, the first by name. rankOf(status) is a number, the least of what counts first.
return function(items, rankOf)
  local first, least
  for _, item in ipairs(items) do
    local rank = item.status and rankOf(item.status)
    if rank and next(item.status) and (not first or rank < least or rank == least and item.clusterName < first.clusterName) then
      first, least = item, rank
    end
  end
  return first
end
