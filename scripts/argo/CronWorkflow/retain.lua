-- The status goes with the object, for the API has no subresource for it.
function Retain(desired, observed)
  desired.status = observed.status
  return desired
end
