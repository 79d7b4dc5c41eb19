import{e as o}from"./index-xMLzFYoH.js";const e=o;export{e as ar};
