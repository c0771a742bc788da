package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.plugin.PluginArchive;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class PluginArchiveIT {

  @Test
  void holdsThePluginAndNothingThatTheWorkerHas() throws IOException {
    assertThat(PluginArchive.files())
        .anyMatch(file -> file.matches("lib/indexview-connect-dynamodb-.*\\.jar"))
        .anyMatch(file -> file.matches("lib/indexview-connect-common-.*\\.jar"))
        .contains("etc/dynamodb-sink.properties", "doc/LICENSE")
        .noneMatch(file -> file.matches("lib/(kafka-|connect-|slf4j-|log4j-).*"));
  }

  /** The default chain asks STS for the role of a Kubernetes service account, by its own client. */
  @Test
  void holdsWhatRolesOfServiceAccountsNeed() throws IOException {
    assertThat(PluginArchive.files())
        .anyMatch(file -> file.matches("lib/sts-.*\\.jar"))
        .anyMatch(file -> file.matches("lib/(apache5-client|url-connection-client)-.*\\.jar"));
  }
}
