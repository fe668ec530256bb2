// The page of an address under which there is nothing: it follows nothing and asks for nothing.
export {};
