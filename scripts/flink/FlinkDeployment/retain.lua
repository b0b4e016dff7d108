-- The path that a failover or an admission policy gave stays: without it the
-- operator would see another job and restart it.
function Retain(desired, observed)
  local path = kube.get(observed, "spec.job.initialSavepointPath")
  if path and desired.spec and desired.spec.job and not desired.spec.job.initialSavepointPath then
    desired.spec.job.initialSavepointPath = path
  end
  return desired
end
