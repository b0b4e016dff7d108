local addresses = require("lib.addresses")

function InterpretHealth(obj)
  return addresses.known(obj)
end
