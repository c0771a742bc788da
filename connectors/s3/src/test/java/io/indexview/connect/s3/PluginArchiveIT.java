package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.plugin.PluginArchive;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class PluginArchiveIT {

  @Test
  void holdsThePluginAndNothingThatTheWorkerHas() throws IOException {
    assertThat(PluginArchive.files())
        .anyMatch(file -> file.matches("lib/indexview-connect-s3-.*\\.jar"))
        .anyMatch(file -> file.matches("lib/indexview-connect-common-.*\\.jar"))
        .anyMatch(file -> file.matches("lib/indexview-aws-.*\\.jar"))
        .contains("etc/s3-source.properties", "doc/LICENSE")
        .noneMatch(file -> file.matches("lib/(kafka-|connect-|slf4j-|log4j-).*"));
  }

  /** For roles of Kubernetes service accounts and of profiles, and for SSO; each has its client. */
  @Test
  void holdsWhatTheDefaultChainOfCredentialsAsks() throws IOException {
    assertThat(PluginArchive.files())
        .anyMatch(file -> file.matches("lib/sts-.*\\.jar"))
        .anyMatch(file -> file.matches("lib/sso-.*\\.jar"))
        .anyMatch(file -> file.matches("lib/ssooidc-.*\\.jar"))
        .anyMatch(file -> file.matches("lib/(apache5-client|url-connection-client)-.*\\.jar"));
  }
}
