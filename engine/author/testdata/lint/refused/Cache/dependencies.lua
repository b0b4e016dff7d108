function GetDependencies(object) if object.spec then return {} end end
--                                                                 ^ missing-return-path
