import '../io/host/crypto.ts';
