-- Reports whether what has failed for good has no reason to move; see the parameter
-- failedRuns.
return function(failover)
  return params.failedRuns == "healthy" or params.failedRuns == "failover" and not failover
end
