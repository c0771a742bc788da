package io.indexview.connect.kvstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.plugin.PluginArchive;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class PluginArchiveIT {

  @Test
  void holdsThePluginAndNothingThatTheWorkerHas() throws IOException {
    assertThat(PluginArchive.files())
        .anyMatch(file -> file.matches("lib/indexview-connect-kvstore-.*\\.jar"))
        .anyMatch(file -> file.matches("lib/indexview-connect-common-.*\\.jar"))
        .contains("etc/kvstore-source.properties", "etc/kvstore-sink.properties", "doc/LICENSE")
        .noneMatch(file -> file.matches("lib/(kafka-|connect-|slf4j-|log4j-).*"));
  }
}
