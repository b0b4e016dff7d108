-- Reports whether what has ended in failure counts as healthy. failover is that of
-- InterpretHealth.
return function(failover)
  return params.failedRuns == "healthy" or (params.failedRuns == "failover" and not failover)
end
