// One bulk transfer by TCP through one switch, as transfer.yaml has it, in ns-3.
//
//   transfer BYTES WINDOW
//
// Prints the simulated seconds, the bytes received, the events, and the CPU seconds of the simulation alone.
//
// Links are point to point, as Ethernet's have been since it is switched (ns-3's CSMA channel is half duplex). A frame has
// PPP's 2 bytes; the interframe gap is longer by what Ethernet has beside: preamble 8, header 14, check 4 and gap 12 bytes.
// The switch is a node that forwards, and the delay of its second link holds its latency. Hosts take no time.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>

using namespace ns3;

namespace
{

constexpr uint32_t SEGMENT = 1448; // an MSS of 1460 less 12 bytes of timestamps, which this SegmentSize does not count
constexpr uint16_t PORT = 5001;

uint64_t received = 0;
Time last;

void
Receive(Ptr<const Packet> packet, const Address&)
{
    received += packet->GetSize();
    last = Simulator::Now();
}

void
SetDefaults(uint32_t window)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
}

NetDeviceContainer
Connect(NodeContainer ends, Time delay)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetDeviceAttribute("InterframeGap", TimeValue(NanoSeconds(36 * 8)));
    link.SetChannelAttribute("Delay", TimeValue(delay));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize("1000p")));
    return link.Install(ends);
}

} // namespace

int
main(int argc, char* argv[])
{
    if (argc != 3)
    {
        std::cerr << "usage: transfer BYTES WINDOW\n";
        return 2;
    }
    const uint64_t bytes = std::strtoull(argv[1], nullptr, 10);
    SetDefaults(std::strtoul(argv[2], nullptr, 10));

    NodeContainer nodes;
    nodes.Create(3);
    NetDeviceContainer first = Connect(NodeContainer(nodes.Get(0), nodes.Get(1)), NanoSeconds(100));
    NetDeviceContainer second = Connect(NodeContainer(nodes.Get(1), nodes.Get(2)), NanoSeconds(5100));
    InternetStackHelper internet;
    internet.Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    addresses.Assign(first);
    addresses.NewNetwork();
    Ipv4InterfaceContainer far = addresses.Assign(second);
    // Without queue disciplines a packet goes straight to its device.
    TrafficControlHelper control;
    control.Uninstall(first);
    control.Uninstall(second);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(far.GetAddress(1), PORT));
    source.SetAttribute("MaxBytes", UintegerValue(bytes));
    source.SetAttribute("SendSize", UintegerValue(SEGMENT)); // larger ones meet the delayed-ACK timer each window
    source.Install(nodes.Get(0)).Start(Seconds(0));
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
    ApplicationContainer reader = sink.Install(nodes.Get(2));
    reader.Start(Seconds(0));
    reader.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Receive));

    const std::clock_t begin = std::clock();
    Simulator::Run();
    const double cpu = double(std::clock() - begin) / CLOCKS_PER_SEC;
    std::cout.precision(9);
    std::cout << last.GetSeconds() << " " << received << " " << Simulator::GetEventCount() << " " << cpu << "\n";
    Simulator::Destroy();
    return received == bytes ? 0 : 1;
}
