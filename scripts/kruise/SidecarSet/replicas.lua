-- A SidecarSet has no pods of its own.
function GetReplicas()
  return 0
end
