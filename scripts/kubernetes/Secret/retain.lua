-- The member cluster writes the token of a service account.
function Retain(desired, observed)
  if desired.type == "kubernetes.io/service-account-token" and observed.data then
    desired.data = observed.data
  end
  return desired
end
