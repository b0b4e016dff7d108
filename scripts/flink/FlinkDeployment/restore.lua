-- The job goes on from its savepoint, or else from the checkpoints that it wrote
-- under its id. The operator reads initialSavepointPath at the first deployment.
function RestoreState(desired, state)
  if not kube.get(desired, "spec.job") then
    return desired
  end
  local path = state["flink.apache.org/savepoint"]
  local id = state["flink.apache.org/job-id"]
  local config = desired.spec.flinkConfiguration or {}
  local directory = config["execution.checkpointing.dir"] or config["state.checkpoints.dir"]
  if not path and id and directory then
    path = string.gsub(directory, "/+$", "") .. "/" .. id
  end
  if path then
    desired.spec.job.initialSavepointPath = path
  end
  return desired
end
