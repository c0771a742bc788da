package io.indexview.connect.s3;

import io.indexview.connect.common.plugin.PluginArchive;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class PluginArchiveIT {

  @Test
  void archiveHoldsThePluginButNoLibraryOfTheWorker() throws IOException {
    PluginArchive.check(
        List.of("indexview-connect-s3", "indexview-aws"), List.of("etc/s3-source.properties"));
  }

  @Test
  void holdsWhatTheDefaultChainOfCredentialsAsks() throws IOException {
    PluginArchive.checkDefaultChain();
  }

  @Test
  void archiveNamesTheLicencesOfItsLibraries() throws IOException {
    PluginArchive.checkLicences();
  }

  @Test
  void archiveManifestNamesVersionAndComponents() throws IOException {
    PluginArchive.checkManifest("indexview-connect-s3", List.of("source"));
  }
}
