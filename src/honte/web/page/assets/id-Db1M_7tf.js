import{e as o}from"./index-xMLzFYoH.js";const r=o;export{r as id};
