package io.indexview.local;

/** What every part of one stack is made from. */
record PartContext(StackConfig config, DataDirectory directory, Ports ports, Failures failures) {

  static final String HOST = "127.0.0.1";

  String hostAndPort(PartName part) {
    return HOST + ":" + ports.of(part);
  }

  String url(PartName part) {
    return "http://" + hostAndPort(part);
  }
}
