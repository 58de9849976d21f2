export { elements, isObject, members, parseJson, textOf } from '../../formats/json.js';
