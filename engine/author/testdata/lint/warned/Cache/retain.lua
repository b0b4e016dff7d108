-- undeclared-write-path: what identifies an object. Other metadata may be written.
function Retain(desired, observed)
  desired.metadata.name = observed.metadata.name
  --               ^ undeclared-write-path
  desired.metadata.annotations = observed.metadata.annotations
  desired.status = observed.status
  return desired
end
