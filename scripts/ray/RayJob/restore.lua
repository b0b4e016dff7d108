-- The job gets its id again, unless the template has one. In InteractiveMode the id means
-- that a user has submitted the job, which is not so yet in the next cluster.
function RestoreState(desired, state)
  local spec, id = desired.spec, state["ray.io/job-id"]
  if id and spec and (spec.jobId or "") == "" and spec.submissionMode ~= "InteractiveMode" then
    spec.jobId = id
  end
  return desired
end
