function GetState(object)
  return { a = params.mode, b = params.mod }
  --                            ^ unknown-parameter
end
