import { render } from "preact";
import { App } from "./App";
import { begin } from "./state";
import "./style.css";

begin();
render(<App />, document.getElementById("page")!);
