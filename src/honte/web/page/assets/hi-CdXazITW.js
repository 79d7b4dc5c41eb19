import{e as o}from"./index-D6uvHFcf.js";const r=o;export{r as hi};
