import{e as o}from"./index-D6uvHFcf.js";const e=o;export{e as ar};
