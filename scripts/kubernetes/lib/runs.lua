local runs = {}

-- Reports whether what has ended in failure counts as healthy. failover is that of
-- InterpretHealth.
function runs.failed(failover)
  if params.failedRuns == "failover" then
    return not failover
  end
  return params.failedRuns == "healthy"
end

return runs
