// The page of documents: the list of all is open where there is room for it.
import { byId } from "./dom.js";

const wide = matchMedia("(min-width: 1000px)");
const contents = byId("contents", HTMLDetailsElement);
const show = () => { contents.open = wide.matches; };
wide.addEventListener("change", show);
show();
