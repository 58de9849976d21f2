// A @grpc/grpc-js server whose one unary method answers with fixed bytes.
import { readFileSync } from 'node:fs';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { settings } from './settings.mjs';

const bytes = readFileSync(settings.bodyFile);
const asIs = (value) => value;
const unary = {
  path: settings.path,
  requestStream: false,
  responseStream: false,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
};
const server = new Server();
server.addService({ unary }, { unary: (_, answer) => answer(null, bytes) });
server.bindAsync(`127.0.0.1:${settings.port}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
