-- What of a status to keep.

local status = {}

-- The named fields of the status; empty where there is none.
function status.fields(obj, names)
  local from, kept = obj.status or {}, {}
  for _, name in ipairs(names) do
    kept[name] = from[name]
  end
  return kept
end

-- Those of JobStatus.
function status.job(obj)
  return status.fields(obj, { "completionTime", "conditions", "lastReconcileTime", "replicaStatuses", "startTime" })
end

return status
